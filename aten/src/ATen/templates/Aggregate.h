${generated}
#pragma once

${includes}
