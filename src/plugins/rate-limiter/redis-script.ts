/** Lua scripts that run in Redis, on its clock: the ring of ring.ts, and the epoch of the data. */

/**
 * Checks the limits of several requests, one after the other. Charges all limits of a request when all admit.
 *
 * KEYS: all keys once, then the epoch key of the gateway. ARGV: the epoch ("" to skip its check), "1" to set the
 * epoch key when it is missing or older, a JSON array with the requests, then each limit and its window in seconds, which
 * are the same for all requests. A request is its number of requests to charge (0 to check for one), then the index of its
 * key for each limit. Returns for each request 1 when it is admitted, then for each limit its usage and the microseconds
 * until the next slot becomes available. Returns -1 and charges nothing when the epoch key has another value, because
 * Redis may have lost data.
 */
export const limiterScript = (clock = SERVER_CLOCK): string => `
${clock}
${RING}
local held = redis.call('MGET', unpack(KEYS))
local epoch, current = ARGV[1], held[#KEYS]
if epoch ~= '' and current ~= epoch then
  if ARGV[2] ~= '1' or (current and current > epoch) then return { -1 } end
  redis.call('SET', KEYS[#KEYS], epoch, 'EX', 86400)
end
local limits, windows, count = {}, {}, (#ARGV - 3) / 2
for i = 1, count do
  limits[i], windows[i] = tonumber(ARGV[2 * i + 2]), window_of(ARGV[2 * i + 3])
end

local rings, result, size = {}, {}, 0
local requests = cjson.decode(ARGV[3])
for start = 1, #requests, count + 1 do
  local wanted, admitted = requests[start], 1
  local cost = wanted > 1 and wanted or 1
  for i = 1, count do
    local key = requests[start + i]
    local ring = rings[key]
    if not ring then
      ring = read(held[key], windows[i])
      rings[key] = ring
    end
    if ring.total + cost > limits[i] then admitted = 0 end
  end
  size = size + 1
  result[size] = admitted
  for i = 1, count do
    local ring, limit = rings[requests[start + i]], limits[i]
    if admitted == 0 then
      limit = math.max(1, limit - cost + 1)
    elseif wanted > 0 then
      charge(ring, wanted)
    end
    result[size + 1], result[size + 2] = ring.total, frees_in(ring, limit)
    size = size + 2
  end
end
for key, ring in pairs(rings) do
  if ring.changed then save(ring, KEYS[key]) end
end
return result
`;

/**
 * Adds requests that were admitted earlier. KEYS: subjects of one window. ARGV: the window in seconds,
 * then for each key the number of slots, and for each slot its age in microseconds and its count.
 */
export const chargeScript = (clock = SERVER_CLOCK): string => `
${clock}
${RING}
local window, next_arg = window_of(ARGV[1]), 2
local held = redis.call('MGET', unpack(KEYS))
for i = 1, #KEYS do
  local ring = read(held[i], window)
  local counts = parts_of(ring)
  local slots = tonumber(ARGV[next_arg])
  for slot = 1, slots do
    local age, count = ARGV[next_arg + 2 * slot - 1], tonumber(ARGV[next_arg + 2 * slot])
    local part = floor((ring.last - age) / window.width)
    if part >= ring.part - 64 then counts[part] = (counts[part] or 0) + count end
  end
  next_arg = next_arg + 1 + 2 * slots
  set_parts(ring, counts)
  save(ring, KEYS[i])
end
return 1
`;

/**
 * Reads the epoch, or starts one when Redis has none, because it lost its data or is new. ARGV: the
 * epoch that the node knows, "1" while the node is still charging what it admitted, and the grace
 * period in microseconds. Returns the epoch and the microseconds until requests may be admitted in it.
 */
export const epochScript = (clock = SERVER_CLOCK): string => `
${clock}
local grace = tonumber(ARGV[3])
local found = redis.call('HMGET', KEYS[1], 'id', 'opens')
local id, opens = found[1], tonumber(found[2])
if not id then
  local known = tonumber(ARGV[1]) or 0
  id = string.format('%017.0f', math.max(now, known + 1))
end
-- A clock that was set back must not keep the epoch closed.
if not opens or ARGV[2] == '1' or opens > now + grace then opens = now + grace end
redis.call('HSET', KEYS[1], 'id', id, 'opens', string.format('%.0f', opens))
redis.call('EXPIRE', KEYS[1], 86400)
return { id, math.max(0, opens - now) }
`;

/**
 * A value contains last, lag, oldest (doubles), total and the count of the newest part (32 bits each). `last` is the time
 * of the last charge, and `lag` how far the clock was set back since the key was created: time continues from `last`,
 * so that a clock that is set back frees no slot early, and delays none by more than one window. Older parts with requests
 * follow, newest first: for each the distance to the next newer one (8 bits) and its count. Most subjects have one part.
 *
 * The oldest part of a value with requests is never empty. A charge in the part of the last charge writes only the start
 * of the value; the first charge of a part writes all of it and renews the expiry, which covers the part.
 */
const RING = `local pack, unpack_from, floor = struct.pack, struct.unpack, math.floor
local HEAD, OLDER = '<dddI4I4', '<BI4'

local function window_of(seconds)
  local width = seconds * 15625
  return { width = width, ttl = string.format('%d', math.ceil(width * 65 / 1000)) }
end

local function parts_of(ring)
  local counts, part = { [ring.part] = ring.count }, ring.part
  for from = 1, #ring.older, 5 do
    local gap, count = unpack_from(OLDER, ring.older, from)
    part = part - gap
    counts[part] = count
  end
  return counts
end

local function set_parts(ring, counts)
  local older, newer = {}, ring.part
  ring.count = counts[newer] or 0
  ring.total = ring.count
  for part = newer - 1, newer - 64, -1 do
    local count = counts[part] or 0
    if count > 0 then
      older[#older + 1] = pack(OLDER, newer - part, count)
      ring.total, newer = ring.total + count, part
    end
  end
  ring.oldest, ring.older, ring.rewrite = newer, table.concat(older), true
end

-- Version 0.1.0 wrote 65 cells of 32 bits after the total: part p in cell p modulo 65.
local function convert(held, window)
  local last, lag = unpack_from('<dd', held)
  local ring, counts = { part = floor(last / window.width) }, {}
  for part = ring.part - 64, ring.part do
    counts[part] = unpack_from('<I4', held, 29 + part % 65 * 4)
  end
  set_parts(ring, counts)
  return pack(HEAD, last, lag, ring.oldest, ring.total, ring.count) .. ring.older
end

local function expire(ring)
  local older, from = ring.older, #ring.older - 4
  while from > 0 do
    local gap, count = unpack_from(OLDER, older, from)
    if count > 0 and ring.oldest >= ring.part - 64 then break end
    ring.total, ring.oldest, from = ring.total - count, ring.oldest + gap, from - 5
  end
  ring.older = older:sub(1, from + 4)
end

local function read(held, window)
  if not held then
    local part = floor(now / window.width)
    return {
      window = window, last = now, lag = 0, oldest = part, total = 0, part = part, count = 0, older = '', rewrite = true,
    }
  end
  local converted = #held == 288
  if converted then held = convert(held, window) end
  local before, lag, oldest, total, count = unpack_from(HEAD, held)
  local turned_back = now + lag < before
  if turned_back then lag = before - now end
  local last = now + lag
  local part = floor(last / window.width)
  local passed = part - floor(before / window.width)
  local ring = {
    window = window, last = last, lag = lag, oldest = oldest, total = total, part = part, count = count,
    older = held:sub(33), rewrite = converted or passed > 0, changed = turned_back,
  }
  if passed > 64 then
    ring.total, ring.count, ring.older = 0, 0, ''
  elseif passed > 0 then
    ring.count, ring.older = 0, pack('B', passed) .. held:sub(29)
    expire(ring)
  end
  return ring
end

local function charge(ring, count)
  if ring.total == 0 then ring.oldest = ring.part end
  ring.total = ring.total + count
  ring.count = ring.count + count
  ring.changed = true
end

local function save(ring, key)
  local start = pack(HEAD, ring.last, ring.lag, ring.oldest, ring.total, ring.count)
  if ring.rewrite then
    redis.call('SET', key, start .. ring.older, 'PX', ring.window.ttl)
  else
    redis.call('SETRANGE', key, '0', start)
  end
end

local function frees_in(ring, limit)
  local total = ring.total
  if total == 0 then return 0 end
  local part = ring.oldest
  if total > limit then
    local older, over = ring.older, total - limit
    for from = #older - 4, 1, -5 do
      local gap, count = unpack_from(OLDER, older, from)
      if count > over then break end
      over, part = over - count, part + gap
    end
  end
  return math.max(0, (part + 65) * ring.window.width - ring.last)
end
`;

/** In microseconds: a part of a window of one second is 15,625 µs. */
const SERVER_CLOCK = `
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]`;
