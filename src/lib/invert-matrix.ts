/** Inverts a symmetric, positive definite matrix (Gauss-Jordan). */
export function invertMatrix(matrix: readonly Float64Array[]): Float64Array[] {
  const rows = matrix.map((row) => row.slice());
  for (const [pivot, pivotRow] of rows.entries()) {
    const scale = 1 / (pivotRow[pivot] ?? 1);
    pivotRow[pivot] = 1;
    for (let column = 0; column < rows.length; column++) {
      pivotRow[column] = (pivotRow[column] ?? 0) * scale;
    }
    for (const row of rows) {
      if (row === pivotRow) continue;
      const factor = row[pivot] ?? 0;
      row[pivot] = 0;
      subtract(row, pivotRow, factor);
    }
  }
  return rows;
}

/** A function of its own, so that the JIT compiler optimizes it within the first matrix. */
function subtract(row: Float64Array, other: Float64Array, factor: number): void {
  for (let column = 0; column < row.length; column++) {
    row[column] = (row[column] ?? 0) - factor * (other[column] ?? 0);
  }
}
