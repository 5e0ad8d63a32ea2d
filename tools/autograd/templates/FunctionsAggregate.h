${generated}
#pragma once

/// All Nodes. Where possible, include only the shard of the Node that you create.
${includes}
