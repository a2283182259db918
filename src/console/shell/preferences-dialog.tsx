/** Dialog with the theme and time zone of this browser. Changes apply at once. */
import {
  changePreferences,
  listTimeZones,
  THEMES,
  type Theme,
  timeZone,
  usePreferences,
} from "../preferences.ts";
import { Dialog } from "../ui/dialog.tsx";
import { SelectField } from "../ui/fields/field.tsx";

export function PreferencesDialog({ onClose }: { onClose: () => void }) {
  const { theme, time_zone } = usePreferences();
  const local = new Intl.DateTimeFormat().resolvedOptions().timeZone;
  return (
    <Dialog title="Preferences" onClose={onClose}>
      <SelectField
        label="Theme"
        value={theme}
        options={Object.entries(THEMES)}
        // The options are the themes.
        onChange={(value) => changePreferences({ theme: value as Theme })}
      />
      <SelectField
        label="Time zone"
        hint={`Times are shown in ${timeZone()}. The API always uses UTC.`}
        value={time_zone}
        options={[
          ["", `Local (${local})`],
          ...listTimeZones().map((name) => [name, name.replaceAll("_", " ")] as const),
        ]}
        onChange={(value) => changePreferences({ time_zone: value })}
      />
      <p className="hint">Stored in this browser.</p>
      <div className="form-end">
        <button type="button" className="button primary" onClick={onClose}>
          Done
        </button>
      </div>
    </Dialog>
  );
}
