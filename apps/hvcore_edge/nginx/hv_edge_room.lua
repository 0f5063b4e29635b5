-- Whether the disk of the cache has room, looked at once a second. Without it nginx would
-- end the connection of whoever asks for what is not cached.

local ffi = require "ffi"
local settings = require "hv_edge_settings"

ffi.cdef [[ int statvfs(const char *path, void *found); ]]

local LOOKED_AT_EVERY_S = 1
local LEAST_FREE_BYTES = settings.cache_least_free_bytes
-- Of all systems with 64 bits: block size, fragment size, blocks, free ones, and free ones
-- for who is not root. The structure has 112 bytes.
local found = ffi.new("uint64_t[32]")

local _M = { is_full = false }

function _M.watch(folder)
    local function look()
        if ffi.C.statvfs(folder, found) == 0 then
            _M.is_full = tonumber(found[1] * found[4]) < LEAST_FREE_BYTES
        end
    end
    look()
    ngx.timer.every(LOOKED_AT_EVERY_S, look)
end

return _M
