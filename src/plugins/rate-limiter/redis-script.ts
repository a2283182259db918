/** The ring of ring.ts as a Redis script: all limits of a request in one step, on the server's clock. */

/**
 * KEYS: one for each limit. ARGV: "1" to charge when all admit, then limit and window in seconds of
 * each key. Answer: 1 when admitted, then for each key what is used and in how many microseconds the
 * next slot frees.
 *
 * A key holds: last, lag, oldest (doubles), total and 65 cells (32 bits each). `last` is when it was
 * charged last and `lag` how far the clock was set back since the key was made: time goes on from
 * where it was, so a clock that is set back frees no slot early, and holds none for longer than one
 * window more.
 */
export const limiterScript = (clock = SERVER_CLOCK): string => `
${clock}
local pack, unpack_from = struct.pack, struct.unpack
local HEAD, HEAD_BYTES = '<dddI4', 28

local function place(part)
  return HEAD_BYTES + part % 65 * 4
end

local function at(ring, part)
  return (unpack_from('<I4', ring.held, place(part) + 1))
end

local function clear(ring, part)
  local from = place(part)
  ring.held = ring.held:sub(1, from) .. '\0\0\0\0' .. ring.held:sub(from + 5)
end

local function read(held, width)
  local ring = { held = held or string.rep('\0', HEAD_BYTES + 260) }
  ring.last, ring.lag, ring.oldest, ring.total = unpack_from(HEAD, ring.held)
  if not held then ring.last = now end
  local before = math.floor(ring.last / width)
  if now + ring.lag < ring.last then
    ring.lag, ring.turned_back = ring.last - now, true
  end
  ring.last = now + ring.lag
  ring.part = math.floor(ring.last / width)
  if ring.part - before >= 65 then
    ring.held, ring.total = string.rep('\0', HEAD_BYTES + 260), 0
  end
  while ring.total > 0 and (ring.oldest < ring.part - 64 or at(ring, ring.oldest) == 0) do
    local gone = at(ring, ring.oldest)
    if gone > 0 then
      ring.total = ring.total - gone
      clear(ring, ring.oldest)
    end
    ring.oldest = ring.oldest + 1
  end
  return ring
end

local function save(ring, key, width, charge)
  if charge == 1 and ring.total == 0 then ring.oldest = ring.part end
  local count = at(ring, ring.part) + charge
  ring.total = ring.total + charge
  local from = place(ring.part)
  ring.held = pack(HEAD, ring.last, ring.lag, ring.oldest, ring.total)
    .. ring.held:sub(HEAD_BYTES + 1, from) .. pack('<I4', count) .. ring.held:sub(from + 5)
  redis.call('SET', key, ring.held, 'PX', math.ceil(width * 65 / 1000))
end

local function frees_in(ring, limit, width)
  if ring.total == 0 then return 0 end
  local over, part = math.max(0, ring.total - limit), ring.oldest
  while at(ring, part) <= over do
    over, part = over - at(ring, part), part + 1
  end
  return math.max(0, (part + 65) * width - ring.last)
end

local held = redis.call('MGET', unpack(KEYS))
local rings, admitted = {}, 1
for i = 1, #KEYS do
  rings[i] = read(held[i], ARGV[2 * i + 1] * 15625)
  if rings[i].total >= tonumber(ARGV[2 * i]) then admitted = 0 end
end

local charge = admitted == 1 and ARGV[1] == '1' and 1 or 0
local answer = { admitted }
for i = 1, #KEYS do
  local ring, limit, width = rings[i], tonumber(ARGV[2 * i]), ARGV[2 * i + 1] * 15625
  if charge == 1 or ring.turned_back then save(ring, KEYS[i], width, charge) end
  answer[2 * i] = ring.total
  answer[2 * i + 1] = frees_in(ring, limit, width)
end
return answer
`;

/** Microseconds: a part of a window of one second is 15,625 of them. */
const SERVER_CLOCK = `
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]`;
