-- Renews what is cache, of what is due and what soon will be, with one question. It
-- costs the service the more time for each question the fewer it is asked, since
-- its process has lost the processor's caches to segments in between.

local changes = require "hv_edge_changes"
local settings = require "hv_edge_settings"

local SOON_S = 0.45
local MAX_TOGETHER, MAX_LIST_BYTES = settings.max_asked, 4000
-- A service of before knows no such question.
local ALONE_S = 10
local HOLDS = ("1"):byte()

local _M = {}
local Renewals = { __index = _M }

-- ask(list) returns a digit for each "key=tag" of a list with commas: 1 if what has
-- that tag may go on; nil if there is no answer.
function _M.new(ask)
    return setmetatable({
        -- In the order in which they were asked for.
        keys = {}, times = {}, first = 1, last = 0, ask = ask, alone_until = 0,
    }, Renewals)
end

local function drop_first(self)
    local first = self.first
    self.keys[first], self.times[first] = nil, nil
    self.first = first + 1
end

-- Takes note that a key was asked for. Of those before, it forgets what is too old
-- to be renewed, or from before a clock was set back.
function _M:add(cache, key, asked)
    while self.first <= self.last do
        local age = asked - self.times[self.first]
        if age >= 0 and age < cache.CACHE_TTL_S then
            break
        end
        drop_first(self)
    end
    self.last = self.last + 1
    self.keys[self.last], self.times[self.last] = key, asked
end

-- What is kept under a key, if it is to be renewed with what is due: only what was
-- requested since it was asked for, or it would be renewed for ever. Of what is renewed
-- already, which what is due is, somebody else takes care.
local function renewable(cache, key, asked, now)
    local entry, age = cache.newer[key], now - asked
    if entry and entry.asked == asked and entry.used and age >= 0
        and age < cache.CACHE_TTL_S and now >= entry.renewing and not key:find("[^%w_/-]") then
        return entry
    end
    return nil
end

-- The keys and entries to be renewed with one that is due.
local function choose_together(self, cache, key, due, now)
    local keys, entries, listed = { key }, { due }, { key .. "=" .. due.value.tag }
    local bytes = #listed[1]
    while self.first <= self.last and #keys < MAX_TOGETHER do
        local other, asked = self.keys[self.first], self.times[self.first]
        if now - asked < SOON_S and now >= asked then
            break
        end
        local entry = renewable(cache, other, asked, now)
        if entry then
            local pair = other .. "=" .. entry.value.tag
            bytes = bytes + 1 + #pair
            if bytes > MAX_LIST_BYTES then
                break
            end
            local at = #keys + 1
            keys[at], entries[at], listed[at] = other, entry, pair
        end
        drop_first(self)
    end
    return keys, entries, table.concat(listed, ",")
end

-- Asks for what is due together with others; false if it must be asked for alone.
function _M:renew(cache, key, due, now)
    if now < self.alone_until or key:find("[^%w_/-]") then
        return false
    end
    local keys, entries, list = choose_together(self, cache, key, due, now)
    if #keys == 1 then
        return false
    end
    for at = 1, #entries do
        entries[at].renewing, entries[at].used = now + cache.PATIENCE_S, false
    end
    local change = changes.latest()
    ngx.update_time()
    local since = ngx.now()
    -- Protected: if it fails, what is due is asked for alone.
    local ok, answer = pcall(self.ask, list)
    local is_answer = ok and answer and #answer == #keys
    if not is_answer then
        self.alone_until = now + ALONE_S
    end
    for at = 1, #entries do
        local entry = entries[at]
        entry.renewing = 0
        if is_answer and answer:byte(at) == HOLDS then
            entry.asked, entry.change = since, change
            self:add(cache, keys[at], since)
        end
    end
    return is_answer and answer:byte(1) == HOLDS
end

return _M
