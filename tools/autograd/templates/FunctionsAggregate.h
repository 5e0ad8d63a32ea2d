${generated}
#pragma once

/// Every Node. Include the shard of the Node that you make instead, where you can.
${includes}
