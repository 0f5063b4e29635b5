-- What was served, more than half of a segment at a time, counted in files that are mapped into memory: to count costs no
-- system call, and what was counted outlives a worker that is killed. A worker has one
-- such file at a time, for four seconds or so and never for two minutes of the clock, and
-- locks it. ``hv edge ingest`` reads it once the lock is gone, and removes it. The format
-- of a file is described in apps/hvcore_edge/tallies.py.

local base = require "resty.core.base"
local ffi = require "ffi"
local settings = require "hv_edge_settings"
local viewers = require "hv_edge_viewers"

ffi.cdef [[
int open(const char *path, int flags, ...);
int close(int fd);
int flock(int fd, int operation);
int posix_fallocate(int fd, long offset, long length);
int ftruncate(int fd, long length);
int access(const char *path, int mode);
int rename(const char *before, const char *after);
int unlink(const char *path);
void *mmap(void *address, size_t length, int protection, int flags, int fd, long offset);
int munmap(void *address, size_t length);
char *strerror(int number);
int RAND_bytes(unsigned char *buffer, int length);
]]

local C = ffi.C
local O_RDWR, O_CREAT, O_EXCL, O_CLOEXEC = 2, 64, 128, 0x80000
local OWNER_ONLY, F_OK = 384, 0
local LOCK_EX, LOCK_NB = 2, 4
local PROT_READ_WRITE, MAP_SHARED = 3, 1
-- The form of a file, as its reader has it.
local FILE_BYTES, LAST_MS = settings.tally_bytes, settings.tally_last_ms
local HEAD_BYTES, RECORD_BYTES = settings.tally_head_bytes, settings.tally_record_bytes
local MARK, ALIGNED_BYTES = settings.tally_mark, settings.tally_aligned_bytes
-- For what was begun to be served: each connection of a worker may end with a place of
-- its own, of this many bytes.
local MAX_TEXT_BYTES = 496
local FREE_RESERVE_BYTES = settings.worker_connections * (RECORD_BYTES + MAX_TEXT_BYTES)
-- What it takes to bring a file to the sinks is nearly the same however much is in it.
local KEPT_FOR_S, LOOKED_AT_EVERY_S, TRIED_AGAIN_AFTER_S = 4, 1, 1
local MINUTE_S, NAME_BYTES = 60, 16
local HEAD = ffi.typeof("struct { unsigned char mark[8]; uint32_t minute, unused; } *")
local RECORD = ffi.typeof(
    "struct { uint32_t text_bytes, segments, first_ms, last_ms; } *")
local ADDRESS = ffi.typeof("uintptr_t")
local ZERO, NINE = ("09"):byte(1, 2)
local floor = math.floor

local _M = {}
local folder
-- The file: its memory, how much of that is used, and what is where in it; the beginning
-- of its minute, and when it was begun.
local descriptor, memory, used, offsets, minute_s, began_at = -1, nil, 0, {}, 0, 0
-- What it is called, and the one before.
local path, last_path
local failed_at = -TRIED_AGAIN_AFTER_S
-- What went wrong, for the timer to say: to what is said in a request nginx adds its
-- address, with the token. And what was noted before and has not ended.
local unlogged, noted_faults = {}, {}
-- Whether this worker is ending, and whether it will let go of its counts soon.
local is_ending, is_release_due = false, false
-- What stands behind the place of an answer of which at most half was handed over.
local TOO_FEW_BYTES = " n=" .. settings.too_few_bytes
-- Of requests that are being answered, by their addresses: the segment that counts if more
-- than half of it is handed over, and what the token says.
local media_by_request, claims_by_request = {}, {}

local value, length = ffi.new("unsigned char *[1]"), ffi.new("size_t[1]")
local message = ffi.new("char *[1]")
local lowered = ffi.new("unsigned char[64]")

local function new_name()
    local random = ffi.new("unsigned char[?]", NAME_BYTES)
    assert(C.RAND_bytes(random, NAME_BYTES) == 1)
    return folder .. "/edge-" .. ffi.string(random, NAME_BYTES):gsub(".", function(byte)
        return ("%02x"):format(byte:byte())
    end)
end

local function note_fault(text)
    if not noted_faults[text] then
        noted_faults[text] = true
        unlogged[#unlogged + 1] = text
    end
end

-- Called by the timer of each worker, which has no request.
local function log_faults()
    for _, text in ipairs(unlogged) do
        ngx.log(ngx.EMERG, text)
    end
    unlogged = {}
end

-- Maps a new file; nil and the system's number for what is wrong if that fails, because
-- there is no room for all of it, say.
local function map_file(opened)
    -- Locked before it has the name under which it is looked for.
    if C.flock(opened, LOCK_EX + LOCK_NB) ~= 0 then
        return nil, ffi.errno()
    end
    local fault = C.posix_fallocate(opened, 0, FILE_BYTES)
    if fault ~= 0 then
        return nil, fault
    end
    local found = C.mmap(nil, FILE_BYTES, PROT_READ_WRITE, MAP_SHARED, opened, 0)
    if ffi.cast("intptr_t", found) == -1 then
        return nil, ffi.errno()
    end
    return ffi.cast("unsigned char *", found)
end

-- Makes a file and gives it its name: its memory and its descriptor; likewise.
local function create_file(name, minute)
    local opened = C.open(name .. ".new", O_RDWR + O_CREAT + O_EXCL + O_CLOEXEC,
                          ffi.cast("int", OWNER_ONLY))
    if opened < 0 then
        return nil, ffi.errno()
    end
    local found, fault = map_file(opened)
    if found then
        local head = ffi.cast(HEAD, found)
        head.minute = minute
        ffi.copy(head.mark, MARK, #MARK)
        if C.rename(name .. ".new", name .. ".tally") == 0 then
            return found, opened
        end
        fault = ffi.errno()
        C.munmap(found, FILE_BYTES)
    end
    C.unlink(name .. ".new")
    C.close(opened)
    return nil, fault
end

-- Goes on with a new file, if one can be made; if not, with the one that there is.
local function start_new_file(now)
    local name, minute = new_name(), floor(now / MINUTE_S)
    local found, opened = create_file(name, minute)
    if not found then
        failed_at = now
        note_fault("no file to count in can be made in " .. folder .. ": "
            .. ffi.string(C.strerror(opened)) .. ". Free space there, or let the user of "
            .. "nginx's workers write to it.")
        return
    end
    noted_faults = {}
    if memory then
        C.munmap(memory, FILE_BYTES)
        -- Its room is for others. If that fails, it is only larger.
        C.ftruncate(descriptor, used)
        C.close(descriptor)
    end
    path, last_path = name .. ".tally", path
    descriptor, memory, used, offsets = opened, found, HEAD_BYTES, {}
    minute_s, began_at = minute * MINUTE_S, now
end

local function may_try(now)
    -- Both ways, for a clock that was set back.
    return now - failed_at >= TRIED_AGAIN_AFTER_S or now < failed_at
end

local function is_of_this_minute(now)
    return now >= minute_s and now < minute_s + MINUTE_S
end

-- Lets others read what was counted, if anything was.
local function release_file(now)
    if memory and used > HEAD_BYTES and may_try(now) then
        start_new_file(now)
    end
end

-- Called each second. While nobody has even read what was before, a file is let go once a
-- minute: files that nobody reads shall not be many. When the worker is ending, which may
-- take a minute, it is called a last time.
local function check_file(premature)
    local now = ngx.now()
    is_ending = premature
    if premature or not is_of_this_minute(now) or now - began_at >= KEPT_FOR_S
        and not (last_path and C.access(last_path, F_OK) == 0) then
        release_file(now)
    end
    log_faults()
end

-- Of a worker that is ending: its end waits for this, so it is no more than a second.
local function release_file_later()
    ngx.sleep(LOOKED_AT_EVERY_S)
    is_release_due = false
    release_file(ngx.now())
end

-- Called in each worker.
function _M.start(given)
    folder = given
    ngx.timer.every(LOOKED_AT_EVERY_S, check_file)
end

-- Whether there is room for what is served from now on. A worker without room must not serve.
function _M.has_room()
    local now = ngx.now()
    if memory and is_of_this_minute(now) and FILE_BYTES - used >= FREE_RESERVE_BYTES then
        return true
    end
    if may_try(now) then
        start_new_file(now)
    end
    return memory ~= nil and FILE_BYTES - used >= FREE_RESERVE_BYTES
end

local function request_key()
    return tonumber(ffi.cast(ADDRESS, base.get_request()))
end

-- Called for each request before anything else: another one may have had its address.
function _M.forget()
    local key = request_key()
    media_by_request[key], claims_by_request[key] = nil, nil
end

-- Has a request count if more than half of a segment is handed over.
function _M.expect(media, claims)
    local key = request_key()
    media_by_request[key], claims_by_request[key] = media, claims
end

-- A number that nginx knows of a request; nil if there is none.
local function number_of(request, name, name_length)
    if C.ngx_http_lua_ffi_var_get(request, name, name_length, lowered, 0, value, length,
                                  message) ~= 0 then
        return nil
    end
    local text, number = value[0], 0
    for at = 0, tonumber(length[0]) - 1 do
        local digit = text[at]
        if digit < ZERO or digit > NINE then
            return nil
        end
        number = number * 10 + digit - ZERO
    end
    return number
end

-- What is counted of an answer that has ended: a segment and its viewer, or that it was too
-- little; nil if it was neither whole nor a part.
local function text_of(request, media, claims)
    local status = C.ngx_http_lua_ffi_get_resp_status(request)
    if status ~= 200 and status ~= 206 then
        return nil
    end
    local sent = number_of(request, "body_bytes_sent", #"body_bytes_sent")
    if not sent or 2 * sent <= media.size then
        return media.place .. TOO_FEW_BYTES
    end
    local noted = viewers.noted(claims, media)
    return noted == "" and media.place or media.place .. noted
end

local function add_record(text, now_ms)
    local bytes = #text <= MAX_TEXT_BYTES and #text or 0
    local next = used + RECORD_BYTES + bytes + ALIGNED_BYTES - 1
    next = next - next % ALIGNED_BYTES
    if bytes == 0 or next > FILE_BYTES then
        note_fault("segments were served that are not counted, since the file to count "
            .. "in is full. Free space in " .. folder .. ", or let the user of nginx's "
            .. "workers write to it.")
        return nil
    end
    local record = ffi.cast(RECORD, memory + used)
    ffi.copy(memory + used + RECORD_BYTES, text, bytes)
    record.first_ms, record.last_ms = now_ms, now_ms
    -- From now on it is read.
    record.text_bytes = bytes
    offsets[text], used = used, next
    return record
end

-- Called by log_by_lua, when a request has ended.
function _M.count()
    local request = base.get_request()
    local key = tonumber(ffi.cast(ADDRESS, request))
    local media, claims = media_by_request[key], claims_by_request[key]
    if not media then
        return
    end
    media_by_request[key], claims_by_request[key] = nil, nil
    local text = text_of(request, media, claims)
    if not text then
        return
    end
    local now = ngx.now()
    if not is_of_this_minute(now) and may_try(now) then
        start_new_file(now)
    end
    -- Of another minute only if the disk is full: better there than nowhere.
    local now_ms = math.min(math.max(0, floor((now - minute_s) * 1000)), LAST_MS)
    local offset = offsets[text]
    local record
    if offset then
        record = ffi.cast(RECORD, memory + offset)
    else
        record = add_record(text, now_ms)
        if not record then
            return
        end
    end
    if now_ms > record.last_ms then
        record.last_ms = now_ms
    elseif now_ms < record.first_ms then
        record.first_ms = now_ms
    end
    record.segments = record.segments + 1
    if is_ending and not is_release_due then
        -- Of timers, only those without a delay are left.
        is_release_due = ngx.timer.at(0, release_file_later)
    end
end

return _M
