-- Whether the disk of the cache has room. Without it nginx would end the connection of
-- whoever asks for what is not cached.

local ffi = require "ffi"
local settings = require "hv_edge_settings"

ffi.cdef [[ int statvfs(const char *path, void *found); ]]

local LOOKED_AT_EVERY_S = 0.1
-- What a fast network writes meanwhile finds its place.
local LEAST_FREE_BYTES = settings.cache_least_free_bytes
-- Of all systems with 64 bits: block size, fragment size, blocks, free ones, and free ones
-- for who is not root. The structure has 112 bytes.
local found = ffi.new("uint64_t[32]")

local folder, looked_at, was_full = nil, -1, false

local _M = {}

function _M.watch(given)
    folder = given
end

-- Asked by requests: nobody looks while nobody comes.
function _M.is_full()
    local now = ngx.now()
    -- Both ways, for a clock that was set back.
    if now - looked_at >= LOOKED_AT_EVERY_S or now < looked_at then
        looked_at = now
        was_full = ffi.C.statvfs(folder, found) == 0
            and tonumber(found[1] * found[4]) < LEAST_FREE_BYTES
    end
    return was_full
end

return _M
