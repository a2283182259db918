/** Icons, inlined so that no file is loaded for them. */

const PATHS = {
  home: "M2.5 7.5 8 3l5.5 4.5M4 6.5V13h8V6.5M6.75 13V9.5h2.5V13",
  gateway: "M3 13.5V7a5 5 0 0 1 10 0v6.5M3 7.5h10M3 10.5h10M6.3 3v10.5M9.7 3v10.5",
  registry: "M2.5 3h11v4h-11zM2.5 9h11v4h-11zM5 5h.01M5 11h.01",
  model: "M8 2 13.5 5v6L8 14l-5.5-3V5zM2.5 5 8 8l5.5-3M8 8v6",
  consumer: "M8 8a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5ZM3 13.5a5 5 0 0 1 10 0",
  collector: "M2.5 9.5 4.5 3h7l2 6.5v3.5h-11zM2.5 9.5h3.2l.8 1.5h3l.8-1.5h3.2",
  detector:
    "M5.5 2.5h-3v3M10.5 2.5h3v3M5.5 13.5h-3v-3M10.5 13.5h3v-3M8 10a2 2 0 1 0 0-4 2 2 0 0 0 0 4Z",
  policy: "M8 2 13 4v4c0 3-2 5-5 6-3-1-5-3-5-6V4zM5.8 8l1.6 1.6L10.4 6.5",
  play: "M5 3v10l8-5z",
  pause: "M5.5 3v10M10.5 3v10",
  requests: "M2.5 4h11M2.5 8h11M2.5 12h7",
  settings: "M2.5 5h6M11.5 5h2M2.5 11h2M7.5 11h6M10 3.5v3M6 9.5v3",
  token: "M9.5 9.5a3.25 3.25 0 1 0-3-3L2.5 10.5v3h3v-2h2v-2z",
  audit: "M4 2.5h6l2.5 2.5v8.5H4zM6 7h4.5M6 9.5h4.5M6 12h2",
  copy: "M5.5 5.5v-3h8v8h-3M2.5 5.5h8v8h-8z",
  check: "m3 8.5 3.2 3L13 4.5",
  cross: "m4 4 8 8M12 4l-8 8",
  plus: "M8 3v10M3 8h10",
  minus: "M3 8h10",
  up: "M8 13V3M4 7l4-4 4 4",
  down: "M8 3v10M4 9l4 4 4-4",
  back: "M13 8H3M7 4 3 8l4 4",
  forward: "M3 8h10M9 4l4 4-4 4",
  reload: "M13 8a5 5 0 1 1-1.5-3.6M13 2.5v3h-3",
  warning: "M8 2.5 14 13H2zM8 6.5v3M8 11.3v.01",
  leave: "M9.5 3H3v10h6.5M6.5 8H14M11.5 5.5 14 8l-2.5 2.5",
  activity: "M2 8h3l2-4.5 2.5 9 2-4.5H14",
  store: "M3 6h10l-.8 7.5H3.8zM5.5 8V5a2.5 2.5 0 0 1 5 0v3",
  download: "M8 3v7M5 7.5 8 10.5l3-3M3 13h10",
  stop: "M5.5 2.5h5l3 3v5l-3 3h-5l-3-3v-5zM5.5 8h5",
  hand: "M5 8.5V4.8a.9.9 0 0 1 1.8 0V3.4a.9.9 0 0 1 1.8 0v1a.9.9 0 0 1 1.8 0v1.4a.9.9 0 0 1 1.8 0v3.4c0 2.6-1.6 4.3-4 4.3-1.7 0-2.7-.6-3.6-2L3 8.6a.9.9 0 0 1 1.4-1.1z",
  pencil: "m3 13 .6-2.9 7-7 2.3 2.3-7 7zM9.3 4.4l2.3 2.3",
  flag: "M4 14V2.5M4 3h8l-2 3 2 3H4",
  more: "M3.5 8h.01M8 8h.01M12.5 8h.01",
  guide:
    "M8 4.5C6.5 3.3 4.7 3 2.5 3v9c2.2 0 4 .3 5.5 1.5C9.5 12.3 11.3 12 13.5 12V3C11.3 3 9.5 3.3 8 4.500ZM8 4.500v9",
  menu: "M2.5 4h11M2.5 8h11M2.5 12h11",
  search: "M7 11.5a4.5 4.5 0 1 0 0-9 4.5 4.5 0 0 0 0 9ZM10.3 10.3l3.2 3.2",
} as const;

export type IconName = keyof typeof PATHS;

/** Hidden from screen readers: the text beside it says the same. */
export function Icon({ name }: { name: IconName }) {
  return (
    <svg className="icon" viewBox="0 0 16 16" aria-hidden="true" focusable="false">
      <path d={PATHS[name]} />
    </svg>
  );
}
