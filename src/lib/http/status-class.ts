/** Which class is an HTTP status of? `2xx` for 204. */

export const STATUS_CLASSES = ["2xx", "3xx", "4xx", "5xx"] as const;
export type StatusClass = (typeof STATUS_CLASSES)[number];

export const statusClass = (status: number): StatusClass =>
  STATUS_CLASSES[Math.floor(status / 100) - 2] ?? "5xx";
