// Inner loops of the learned models in WebAssembly. build.sh compiles them into src/policy/learned/kernel-binary.ts.
#include <wasm_simd128.h>

#define EXPORT(name) __attribute__((export_name(name)))
#define LANES 4

static float sum_lanes(v128_t v) {
  return wasm_f32x4_extract_lane(v, 0) + wasm_f32x4_extract_lane(v, 1) + wasm_f32x4_extract_lane(v, 2) + wasm_f32x4_extract_lane(v, 3);
}

static int sum_ints(v128_t v) {
  return wasm_i32x4_extract_lane(v, 0) + wasm_i32x4_extract_lane(v, 1) + wasm_i32x4_extract_lane(v, 2) + wasm_i32x4_extract_lane(v, 3);
}

// Returns e^x with a relative error below 1e-6: 2^integer times a polynomial of the fraction.
static v128_t exponential(v128_t x) {
  x = wasm_f32x4_max(x, wasm_f32x4_splat(-87.0f));
  v128_t scaled = wasm_f32x4_mul(x, wasm_f32x4_splat(1.44269504f));
  v128_t whole = wasm_f32x4_nearest(scaled);
  v128_t part = wasm_f32x4_sub(scaled, whole);
  v128_t result = wasm_f32x4_splat(1.3333558e-3f);
  result = wasm_f32x4_add(wasm_f32x4_mul(result, part), wasm_f32x4_splat(9.6181291e-3f));
  result = wasm_f32x4_add(wasm_f32x4_mul(result, part), wasm_f32x4_splat(5.5504109e-2f));
  result = wasm_f32x4_add(wasm_f32x4_mul(result, part), wasm_f32x4_splat(2.4022651e-1f));
  result = wasm_f32x4_add(wasm_f32x4_mul(result, part), wasm_f32x4_splat(6.9314718e-1f));
  result = wasm_f32x4_add(wasm_f32x4_mul(result, part), wasm_f32x4_splat(1.0f));
  v128_t power = wasm_i32x4_shl(wasm_i32x4_add(wasm_i32x4_trunc_sat_f32x4(whole), wasm_i32x4_splat(127)), 23);
  return wasm_f32x4_mul(result, power);
}

// Rounds `count` numbers to integers of at most `limit`. Returns the scale.
EXPORT("quantize") float quantize(const float *from, short *to, int count, float limit) {
  v128_t top = wasm_f32x4_splat(1e-9f);
  for (int i = 0; i < count; i += LANES) top = wasm_f32x4_max(top, wasm_f32x4_abs(wasm_v128_load(from + i)));
  float largest = wasm_f32x4_extract_lane(top, 0);
  for (int i = 1; i < LANES; i++) {
    float lane = i == 1 ? wasm_f32x4_extract_lane(top, 1) : i == 2 ? wasm_f32x4_extract_lane(top, 2) : wasm_f32x4_extract_lane(top, 3);
    if (lane > largest) largest = lane;
  }
  v128_t factor = wasm_f32x4_splat(limit / largest);
  for (int i = 0; i < count; i += 2 * LANES) {
    v128_t low = wasm_i32x4_trunc_sat_f32x4(wasm_f32x4_nearest(wasm_f32x4_mul(wasm_v128_load(from + i), factor)));
    v128_t high = wasm_i32x4_trunc_sat_f32x4(wasm_f32x4_nearest(wasm_f32x4_mul(wasm_v128_load(from + i + LANES), factor)));
    wasm_v128_store(to + i, wasm_i16x8_narrow_i32x4(low, high));
  }
  return largest / limit;
}

// out[m][n] = scale * scales[n] * sum of a[m][k] * w[n][k], plus bias[n]. Rows are a multiple of 4, columns of 2, depth of 8.
EXPORT("multiply") void multiply(const short *a, const signed char *w, const float *scales, const float *bias, float *out, int rows, int columns, int depth, float scale) {
  for (int n = 0; n < columns; n += 2) {
    const signed char *w0 = w + n * depth, *w1 = w0 + depth;
    float s0 = scale * scales[n], s1 = scale * scales[n + 1];
    for (int m = 0; m < rows; m += 4) {
      const short *a0 = a + m * depth, *a1 = a0 + depth, *a2 = a1 + depth, *a3 = a2 + depth;
      v128_t c00 = wasm_i32x4_splat(0), c01 = c00, c10 = c00, c11 = c00, c20 = c00, c21 = c00, c30 = c00, c31 = c00;
      for (int k = 0; k < depth; k += 8) {
        v128_t x0 = wasm_i16x8_load8x8(w0 + k), x1 = wasm_i16x8_load8x8(w1 + k);
        v128_t y = wasm_v128_load(a0 + k);
        c00 = wasm_i32x4_add(c00, wasm_i32x4_dot_i16x8(x0, y));
        c01 = wasm_i32x4_add(c01, wasm_i32x4_dot_i16x8(x1, y));
        y = wasm_v128_load(a1 + k);
        c10 = wasm_i32x4_add(c10, wasm_i32x4_dot_i16x8(x0, y));
        c11 = wasm_i32x4_add(c11, wasm_i32x4_dot_i16x8(x1, y));
        y = wasm_v128_load(a2 + k);
        c20 = wasm_i32x4_add(c20, wasm_i32x4_dot_i16x8(x0, y));
        c21 = wasm_i32x4_add(c21, wasm_i32x4_dot_i16x8(x1, y));
        y = wasm_v128_load(a3 + k);
        c30 = wasm_i32x4_add(c30, wasm_i32x4_dot_i16x8(x0, y));
        c31 = wasm_i32x4_add(c31, wasm_i32x4_dot_i16x8(x1, y));
      }
      float *o = out + m * columns + n;
      o[0] = sum_ints(c00) * s0 + bias[n];
      o[1] = sum_ints(c01) * s1 + bias[n + 1];
      o += columns;
      o[0] = sum_ints(c10) * s0 + bias[n];
      o[1] = sum_ints(c11) * s1 + bias[n + 1];
      o += columns;
      o[0] = sum_ints(c20) * s0 + bias[n];
      o[1] = sum_ints(c21) * s1 + bias[n + 1];
      o += columns;
      o[0] = sum_ints(c30) * s0 + bias[n];
      o[1] = sum_ints(c31) * s1 + bias[n + 1];
    }
  }
}

// Attention of one head of 32 numbers: softmax(q k^T / sqrt(32)) v for the first `queries` of `count` rows of `width` numbers.
EXPORT("attend") void attend(const float *q, const float *k, const float *v, float *out, float *row, int queries, int count, int width) {
  for (int i = 0; i < queries; i++) {
    const float *from = q + i * width;
    float top = -1e30f;
    for (int j = 0; j < count; j++) {
      const float *to = k + j * width;
      v128_t total = wasm_f32x4_mul(wasm_v128_load(from), wasm_v128_load(to));
      for (int d = LANES; d < 32; d += LANES) total = wasm_f32x4_add(total, wasm_f32x4_mul(wasm_v128_load(from + d), wasm_v128_load(to + d)));
      row[j] = sum_lanes(total) * 0.17677669f;
      if (row[j] > top) top = row[j];
    }
    for (int j = count; j & (LANES - 1); j++) row[j] = -1e30f;
    v128_t sum = wasm_f32x4_splat(0), largest = wasm_f32x4_splat(top);
    for (int j = 0; j < count; j += LANES) {
      v128_t power = exponential(wasm_f32x4_sub(wasm_v128_load(row + j), largest));
      wasm_v128_store(row + j, power);
      sum = wasm_f32x4_add(sum, power);
    }
    float factor = 1 / sum_lanes(sum);
    v128_t total[8];
    for (int d = 0; d < 8; d++) total[d] = wasm_f32x4_splat(0);
    for (int j = 0; j < count; j++) {
      v128_t weight = wasm_f32x4_splat(row[j] * factor);
      for (int d = 0; d < 8; d++) total[d] = wasm_f32x4_add(total[d], wasm_f32x4_mul(weight, wasm_v128_load(v + j * width + d * LANES)));
    }
    for (int d = 0; d < 8; d++) wasm_v128_store(out + i * width + d * LANES, total[d]);
  }
}

// values = layer norm of (values + other), row by row.
EXPORT("normalize") void normalize(float *values, const float *other, const float *gain, const float *bias, int rows, int width) {
  for (int m = 0; m < rows; m++, values += width, other += width) {
    v128_t sum = wasm_f32x4_splat(0), squares = sum;
    for (int i = 0; i < width; i += LANES) {
      v128_t value = wasm_f32x4_add(wasm_v128_load(values + i), wasm_v128_load(other + i));
      wasm_v128_store(values + i, value);
      sum = wasm_f32x4_add(sum, value);
    }
    v128_t mean = wasm_f32x4_splat(sum_lanes(sum) / width);
    for (int i = 0; i < width; i += LANES) {
      v128_t value = wasm_f32x4_sub(wasm_v128_load(values + i), mean);
      squares = wasm_f32x4_add(squares, wasm_f32x4_mul(value, value));
    }
    v128_t factor = wasm_f32x4_splat(1 / __builtin_sqrtf(sum_lanes(squares) / width + 1e-12f));
    for (int i = 0; i < width; i += LANES) {
      v128_t value = wasm_f32x4_mul(wasm_f32x4_sub(wasm_v128_load(values + i), mean), factor);
      wasm_v128_store(values + i, wasm_f32x4_add(wasm_f32x4_mul(value, wasm_v128_load(gain + i)), wasm_v128_load(bias + i)));
    }
  }
}

// values = GELU of values, with erf by formula 7.1.26 of Abramowitz and Stegun.
EXPORT("activate") void activate(float *values, int count) {
  v128_t one = wasm_f32x4_splat(1);
  for (int i = 0; i < count; i += LANES) {
    v128_t x = wasm_v128_load(values + i);
    v128_t z = wasm_f32x4_mul(wasm_f32x4_abs(x), wasm_f32x4_splat(0.70710678f));
    v128_t t = wasm_f32x4_div(one, wasm_f32x4_add(one, wasm_f32x4_mul(z, wasm_f32x4_splat(0.3275911f))));
    v128_t poly = wasm_f32x4_splat(1.061405429f);
    poly = wasm_f32x4_add(wasm_f32x4_mul(poly, t), wasm_f32x4_splat(-1.453152027f));
    poly = wasm_f32x4_add(wasm_f32x4_mul(poly, t), wasm_f32x4_splat(1.421413741f));
    poly = wasm_f32x4_add(wasm_f32x4_mul(poly, t), wasm_f32x4_splat(-0.284496736f));
    poly = wasm_f32x4_add(wasm_f32x4_mul(poly, t), wasm_f32x4_splat(0.254829592f));
    v128_t tail = wasm_f32x4_mul(wasm_f32x4_mul(poly, t), exponential(wasm_f32x4_neg(wasm_f32x4_mul(z, z))));
    v128_t erf = wasm_f32x4_sub(one, tail);
    v128_t positive = wasm_f32x4_mul(wasm_f32x4_splat(0.5f), wasm_f32x4_add(one, erf));
    v128_t negative = wasm_f32x4_mul(wasm_f32x4_splat(0.5f), tail);
    v128_t share = wasm_v128_bitselect(positive, negative, wasm_f32x4_ge(x, wasm_f32x4_splat(0)));
    wasm_v128_store(values + i, wasm_f32x4_mul(x, share));
  }
}

// Adds the rows of a block of word pieces: a word piece has three rows, for the positions left of, at and right of
// a word piece. Writes the maximum and the sum of each channel. ids has one more before and after the block.
EXPORT("pool") void pool(const signed char *table, const short *bias, const int *ids, int count, short *tops, short *sums, int channels) {
  for (int channel = 0; channel < channels; channel += 8) {
    v128_t zero = wasm_i16x8_splat(0), top = zero, sum = zero, base = wasm_v128_load(bias + channel);
    for (int token = 0; token < count; token++) {
      const signed char *left = table + ids[token] * 3 * channels + channel;
      const signed char *middle = table + ids[token + 1] * 3 * channels + channels + channel;
      const signed char *right = table + ids[token + 2] * 3 * channels + 2 * channels + channel;
      v128_t value = wasm_i16x8_add(wasm_i16x8_add(base, wasm_i16x8_load8x8(left)), wasm_i16x8_add(wasm_i16x8_load8x8(middle), wasm_i16x8_load8x8(right)));
      value = wasm_i16x8_max(value, zero);
      top = wasm_i16x8_max(top, value);
      sum = wasm_i16x8_add_sat(sum, value);
    }
    wasm_v128_store(tops + channel, top);
    wasm_v128_store(sums + channel, sum);
  }
}

// Returns the dot product of two arrays, whose length is a multiple of four.
EXPORT("dot") float dot(const float *one, const float *other, int count) {
  v128_t sum = wasm_f32x4_splat(0);
  for (int i = 0; i < count; i += LANES) sum = wasm_f32x4_add(sum, wasm_f32x4_mul(wasm_v128_load(one + i), wasm_v128_load(other + i)));
  return sum_lanes(sum);
}
