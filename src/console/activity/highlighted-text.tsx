/** Text whose findings are highlighted, each with its type and action. */
import type { Action } from "../../contract/guard/actions.ts";
import { showControls } from "../../lib/text/show-controls.ts";
import type { Tone } from "../ui/badge.tsx";
import { type Highlight, splitByHighlights } from "./find-highlights.ts";

const TONES: Record<Action, Tone> = {
  block: "bad",
  ask: "warn",
  transform: "accent",
  withhold: "accent",
  report: "plain",
};

interface HighlightedTextProps {
  text: string;
  highlights: readonly Highlight[];
}

export function HighlightedText({ text, highlights }: HighlightedTextProps) {
  return (
    <pre>
      {splitByHighlights(text.length, highlights).map(
        ({ start, end, highlights: [top], ending }) =>
          top ? (
            <mark key={start} className={toneOf(top)}>
              {showControls(text.slice(start, end))}
              {[...new Set(ending.map(describe))].map((description) => (
                <span key={description} className="mark-label">
                  {description}
                </span>
              ))}
            </mark>
          ) : (
            showControls(text.slice(start, end))
          ),
      )}
    </pre>
  );
}

const toneOf = ({ action }: Highlight): Tone => (action ? TONES[action] : "plain");

const describe = ({ label, action }: Highlight): string => {
  const name = label.replaceAll("_", " ");
  return action ? `${name}: ${action}` : name;
};
