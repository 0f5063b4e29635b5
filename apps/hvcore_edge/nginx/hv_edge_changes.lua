-- What has changed on this machine: eight bytes that every process of the
-- service overwrites before it answers a delete, a revocation or a change of
-- visibility. One system call tells whether anything that is kept may be stale.

local ffi = require "ffi"
local settings = require "hv_edge_settings"

ffi.cdef [[
int open(const char *path, int flags, ...);
int close(int fd);
long pread(int fd, void *buffer, size_t count, long offset);
]]

local O_RDONLY = 0
local O_CLOEXEC = 0x80000
local CHANGES_BYTES = settings.changes_bytes
local REOPENED_EVERY_S = settings.reopened_every_s

local _M = {}

local descriptor = -1
local words = ffi.new("uint32_t[2]")

-- Opens the file anew, since one that was replaced would never change again.
local function reopen(path)
    local opened = ffi.C.open(path, O_RDONLY + O_CLOEXEC)
    local before = descriptor
    descriptor = opened
    if before >= 0 then
        ffi.C.close(before)
    end
end

function _M.watch(path)
    reopen(path)
    ngx.timer.every(REOPENED_EVERY_S, function() reopen(path) end)
end

-- A number that differs whenever something has changed; -1 while there is no
-- file, when what is kept is only as old as its time allows.
function _M.latest()
    if descriptor < 0
        or ffi.C.pread(descriptor, words, CHANGES_BYTES, 0) ~= CHANGES_BYTES then
        return -1
    end
    -- 48 random bits: more would not be exact in a number.
    return tonumber(words[0]) + tonumber(words[1] % 65536) * 4294967296
end

return _M
