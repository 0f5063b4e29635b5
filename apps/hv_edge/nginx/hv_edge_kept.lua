-- Answers of the service, kept for less than a second and never past a change
-- on this machine. Of many requests that need the same, one asks.

local changes = require "hv_edge_changes"
local semaphore = require "ngx.semaphore"
local settings = require "hv_edge_settings"

local KEPT_S = settings.kept_s
-- From then on one request asks anew while the others go on with what is kept.
local RENEWED_AFTER_S = settings.renewed_after_s
local PATIENCE_S = 2
-- About what an entry takes beside its key and value.
local ENTRY_BYTES = 1000

local _M = { KEPT_S = KEPT_S, PATIENCE_S = PATIENCE_S }
local Kept = { __index = _M }

-- Keeps up to max_bytes of values, of which each has its bytes: the newer half,
-- and of the older one what is still asked for. Values that have a tag may have
-- renewals (hv_edge_renewals): then several are renewed together.
function _M.new(max_bytes, renewals)
    return setmetatable({
        newer = {}, older = {}, newer_bytes = 0, half = max_bytes / 2, asking = {},
        renewals = renewals,
    }, Kept)
end

local function bytes_of(key, entry)
    return entry and #key + entry.value.bytes + ENTRY_BYTES or 0
end

function _M:set(key, entry)
    self.older[key] = nil
    local before = self.newer[key]
    self.newer[key] = entry
    self.newer_bytes = self.newer_bytes + bytes_of(key, entry) - bytes_of(key, before)
    if self.newer_bytes > self.half then
        self.older, self.newer, self.newer_bytes = self.newer, {}, 0
    end
end

function _M:find(key)
    local entry = self.newer[key]
    if not entry then
        entry = self.older[key]
        if entry then
            self:set(key, entry)
        end
    end
    return entry
end

local function is_fresh(entry, now)
    return entry and now - entry.asked < KEPT_S and now >= entry.asked
        and entry.change == changes.latest()
end

-- Asks, and tells everybody who waits; nil if the service says no.
function _M:ask(key, before, fetch, one, other)
    local turn = { ended = semaphore.new(), waiting = 0, change = changes.latest() }
    ngx.update_time()
    turn.since = ngx.now()
    self.asking[key] = turn
    -- Protected: whoever waits must be woken.
    local ok, value = pcall(fetch, before, one, other)
    if self.asking[key] == turn then
        self.asking[key] = nil
    end
    if not ok then
        value = nil
    end
    if value and not value.is_long then
        local entry = {
            value = value, asked = turn.since, change = turn.change, renewing = 0,
            used = false,
        }
        self:set(key, entry)
        if self.renewals then
            self.renewals:add(self, key, turn.since)
        end
    else
        self:set(key, nil)
    end
    if turn.waiting > 0 then
        turn.ended:post(turn.waiting)
    end
    return value
end

-- What is kept under a key, if there is no reason to ask yet. Nearly every request
-- ends here, so nothing is made here that would have to be thrown away.
function _M:fresh(key)
    local now = ngx.now()
    local entry = self:find(key)
    if is_fresh(entry, now)
        and (now - entry.asked < RENEWED_AFTER_S or now < entry.renewing) then
        entry.used = true
        return entry.value
    end
    return nil
end

-- What is kept under a key, else what fetch(before, one, other) returns. It was asked
-- for less than KEPT_S ago, and after the last change on this machine.
-- No closure: LuaJIT compiles no function that makes one, even where it does not.
function _M:get(key, fetch, one, other)
    local now = ngx.now()
    local entry = self:find(key)
    if is_fresh(entry, now) then
        if now - entry.asked < RENEWED_AFTER_S or now < entry.renewing then
            return entry.value
        end
        entry.renewing = now + PATIENCE_S
        if self.renewals and self.renewals:renew(self, key, entry, now) then
            return entry.value
        end
        entry.renewing = now + PATIENCE_S
        return self:ask(key, entry.value, fetch, one, other)
    end
    local turn = self.asking[key]
    if turn and now - turn.since < PATIENCE_S and turn.change == changes.latest() then
        turn.waiting = turn.waiting + 1
        turn.ended:wait(PATIENCE_S)
        entry = self:find(key)
        if is_fresh(entry, ngx.now()) then
            return entry.value
        end
        return nil
    end
    return self:ask(key, entry and entry.value, fetch, one, other)
end

return _M
