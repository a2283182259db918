/** Inverts a symmetric, positive definite matrix (Gauss-Jordan). */
export function invertMatrix(matrix: readonly Float64Array[]): Float64Array[] {
  const rows = matrix.map((row) => row.slice());
  for (const [pivot, pivotRow] of rows.entries()) {
    const scale = 1 / (pivotRow[pivot] ?? 1);
    pivotRow[pivot] = 1;
    for (let column = 0; column < rows.length; column++) {
      pivotRow[column] = (pivotRow[column] ?? 0) * scale;
    }
    for (const [number, row] of rows.entries()) {
      if (number === pivot) continue;
      const factor = row[pivot] ?? 0;
      row[pivot] = 0;
      for (let column = 0; column < rows.length; column++) {
        row[column] = (row[column] ?? 0) - factor * (pivotRow[column] ?? 0);
      }
    }
  }
  return rows;
}
