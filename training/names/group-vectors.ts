/** Groups word vectors by k-means in two levels. */

/** Returns the group of each vector: the number of its related group, times the groups per related group, plus its own. */
export function groupVectors(
  vectors: readonly (readonly number[])[],
  { relatedGroups, groupsPerRelated }: { relatedGroups: number; groupsPerRelated: number },
): Int32Array {
  const dimensions = vectors[0]?.length ?? 0;
  const rows = removeFrequency(vectors.map((vector) => Float32Array.from(vector))).map(toUnit);
  const related = cluster(rows, relatedGroups, dimensions);
  const groups = new Int32Array(rows.length);
  for (let parent = 0; parent < relatedGroups; parent++) {
    const members = rows.flatMap((_, index) => (related[index] === parent ? [index] : []));
    const children = cluster(
      members.map((index) => rows[index] ?? new Float32Array()),
      groupsPerRelated,
      dimensions,
    );
    members.forEach((index, at) => {
      groups[index] = parent * groupsPerRelated + (children[at] ?? 0);
    });
  }
  return groups;
}

/** Removes the mean and the first components, which depend on how frequent a word is instead of on its meaning. */
function removeFrequency(rows: Float32Array[]): Float32Array[] {
  const frequent = rows.slice(0, MAX_ROWS);
  const mean = sumRows(frequent, () => 1 / frequent.length);
  for (const row of rows) addScaled(row, mean, -1);
  for (let component = 0; component < REMOVED_COMPONENTS; component++) {
    let direction = toUnit(Float32Array.from(mean, (_, at) => Math.cos(at + component)));
    for (let round = 0; round < ITERATIONS; round++) {
      direction = toUnit(sumRows(frequent, (row) => dot(row, direction)));
    }
    for (const row of rows) addScaled(row, direction, -dot(row, direction));
  }
  return rows;
}

function sumRows(
  rows: readonly Float32Array[],
  weigh: (row: Float32Array) => number,
): Float32Array {
  const sum = new Float32Array(rows[0]?.length ?? 0);
  for (const row of rows) addScaled(sum, row, weigh(row));
  return sum;
}

function addScaled(target: Float32Array, row: Float32Array, factor: number): void {
  for (let at = 0; at < row.length; at++) target[at] = (target[at] ?? 0) + factor * (row[at] ?? 0);
}

function dot(one: Float32Array, other: Float32Array): number {
  let sum = 0;
  for (let at = 0; at < one.length; at++) sum += (one[at] as number) * (other[at] as number);
  return sum;
}

const REMOVED_COMPONENTS = 2;
const ITERATIONS = 12;
/** Centroids are computed from the most frequent words only: the others are noisy. */
const MAX_ROWS = 30_000;

function cluster(rows: readonly Float32Array[], count: number, dimensions: number): Int32Array {
  const sample = rows.slice(0, MAX_ROWS);
  const step = Math.max(1, Math.floor(sample.length / count));
  let centroids: Float32Array[] = Array.from({ length: count }, (_, index) =>
    Float32Array.from(sample[(index * step) % Math.max(1, sample.length)] ?? []),
  );
  for (let round = 0; round < ITERATIONS; round++) {
    const sums = centroids.map(() => new Float32Array(dimensions));
    for (const row of sample) addScaled(sums[nearest(centroids, row)] ?? row, row, 1);
    centroids = sums.map(toUnit);
  }
  return Int32Array.from(rows, (row) => nearest(centroids, row));
}

function nearest(centroids: readonly Float32Array[], row: Float32Array): number {
  let best = 0;
  let bestScore = Number.NEGATIVE_INFINITY;
  for (let index = 0; index < centroids.length; index++) {
    const score = dot(centroids[index] ?? row, row);
    if (score > bestScore) {
      best = index;
      bestScore = score;
    }
  }
  return best;
}

function toUnit(vector: Float32Array): Float32Array {
  let squares = 0;
  for (const value of vector) squares += value * value;
  const length = Math.sqrt(squares) || 1;
  return vector.map((value) => value / length);
}
