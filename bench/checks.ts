/** A measured figure beside its target, and the table of them with PASS or FAIL. */
export interface Check {
  what: string;
  measured: string;
  target: string;
  pass: boolean;
}

/** Compares a number with its upper bound. `digits` are those after the decimal point. */
export function atMost(
  what: string,
  value: number,
  { max, unit, digits }: { max: number; unit: string; digits: number },
): Check {
  return {
    what,
    measured: `${value.toFixed(digits)} ${unit}`,
    target: `at most ${max} ${unit}`,
    pass: value <= max,
  };
}

export function checksText(checks: readonly Check[]): string {
  const lines = checks.map(
    ({ what, measured, target, pass }) =>
      `| ${what} | ${measured} | ${target} | ${pass ? "PASS" : "**FAIL**"} |`,
  );
  return `### Targets

| | measured | target | |
|---|--:|--:|---|
${lines.join("\n")}
`;
}
