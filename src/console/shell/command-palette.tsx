/** Dialog that finds pages, actions and resources by name, for the keyboard. */
import { type KeyboardEvent, useEffect, useId, useState } from "react";
import { useSession } from "../session.ts";
import { Dialog } from "../ui/dialog.tsx";
import { Icon } from "../ui/icon.tsx";
import { Failure } from "../ui/page.tsx";
import { useLoad } from "../use-load.ts";
import { findCommands, findResources, type PaletteEntry } from "./palette-entries.ts";

const DEBOUNCE_MS = 150;

export function CommandPalette({ onClose }: { onClose: () => void }) {
  const session = useSession();
  const id = useId();
  const [text, setText] = useState("");
  const [at, setAt] = useState(0);
  const query = useDebounced(text.trim());
  const found = useLoad(query, (read) => findResources(query, session, read));
  const resources = found.state === "ready" && found.of === text.trim() ? found.value : [];
  const entries = [...findCommands(text, session), ...resources];
  const selected = Math.min(at, entries.length - 1);

  const select = (entry: PaletteEntry | undefined) => {
    if (!entry) return;
    onClose();
    entry.run();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const { length } = entries;
    const step = { ArrowDown: 1, ArrowUp: length - 1 }[event.key];
    if (event.key === "Enter") select(entries[selected]);
    else if (step && length > 0) setAt((selected + step) % length);
    else return;
    event.preventDefault();
  };
  return (
    <Dialog title="Go to" onClose={onClose}>
      <label className="search">
        <span className="visually-hidden">Search pages, actions, resources and trace IDs</span>
        <Icon name="search" />
        <input
          type="search"
          role="combobox"
          aria-expanded="true"
          aria-controls={`${id}-list`}
          aria-autocomplete="list"
          aria-activedescendant={entries.length > 0 ? `${id}-${selected}` : undefined}
          placeholder="Search pages, actions, resources and trace IDs"
          maxLength={200}
          autoComplete="off"
          value={text}
          onChange={(event) => {
            setText(event.target.value);
            setAt(0);
          }}
          onKeyDown={onKeyDown}
        />
      </label>
      <div id={`${id}-list`} role="listbox" aria-label="Matches" className="palette">
        {entries.map((entry, index) => (
          <PaletteOption
            key={entry.id}
            id={`${id}-${index}`}
            entry={entry}
            selected={index === selected}
            onSelect={() => select(entry)}
          />
        ))}
      </div>
      <p className="hint" role="status">
        {entries.length === 0 && (found.state === "loading" ? "Searching…" : "No matches.")}
      </p>
      <Failure
        title="The search failed."
        error={found.state === "loading" ? undefined : found.error}
        onRetry={found.reload}
      />
    </Dialog>
  );
}

interface PaletteOptionProps {
  id: string;
  entry: PaletteEntry;
  selected: boolean;
  onSelect: () => void;
}

/** Not focusable: the focus stays in the search box, which names the selected option. */
function PaletteOption({ id, entry, selected, onSelect }: PaletteOptionProps) {
  useEffect(() => {
    if (selected) document.getElementById(id)?.scrollIntoView({ block: "nearest" });
  }, [selected, id]);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the search box handles the keyboard
    // biome-ignore lint/a11y/useFocusableInteractive: see above
    <div id={id} role="option" aria-selected={selected} onClick={onSelect}>
      <Icon name={entry.icon} />
      <span>{entry.text}</span>
      <span className="hint">{entry.group}</span>
    </div>
  );
}

function useDebounced(value: string): string {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), DEBOUNCE_MS);
    return () => clearTimeout(timer);
  }, [value]);
  return settled;
}
