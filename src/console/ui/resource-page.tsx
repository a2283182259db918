/** Page of one resource, stored or new: loads it, shows its name, and deletes it after a confirmation. */
import type { ReactNode } from "react";
import type { Reader } from "../api.ts";
import { navigate } from "../router.tsx";
import { useSession } from "../session.ts";
import { useLoad } from "../use-load.ts";
import { Menu } from "./menu.tsx";
import { Page, Ready } from "./page.tsx";
import { capitalize } from "./text.ts";
import type { NamedResource } from "./use-resource-form.tsx";

interface ResourcePageProps<Loaded extends { stored: NamedResource | undefined }> {
  /** In the middle of a sentence: "registry". */
  noun: string;
  /** Undefined: a new resource. */
  id: string | undefined;
  load: (read: Reader) => Promise<Loaded>;
  about?: (stored: NonNullable<Loaded["stored"]>) => ReactNode;
  actions: (stored: NonNullable<Loaded["stored"]>, loaded: Loaded) => ReactNode;
  children: (loaded: Loaded) => ReactNode;
}

export function ResourcePage<Loaded extends { stored: NamedResource | undefined }>({
  noun,
  id,
  load,
  about,
  actions,
  children,
}: ResourcePageProps<Loaded>) {
  const loaded = useLoad(id ?? "", load);
  const value = loaded.state === "ready" ? loaded.value : undefined;
  const stored = value?.stored;
  return (
    <Page
      title={id ? (stored?.name ?? capitalize(noun)) : `New ${noun}`}
      about={stored && about?.(stored)}
      actions={value && stored && actions(stored, value)}
    >
      <Ready of={loaded} what={`The ${noun}`}>
        {children}
      </Ready>
    </Page>
  );
}

interface DeleteButtonProps {
  noun: string;
  name: string;
  remove: () => Promise<unknown>;
  /** Shown after the deletion. */
  listPath: string;
  /** Text that must be typed to confirm. */
  mustType?: string;
  /** Names what uses the resource, which then cannot be deleted. */
  inUse?: ReactNode;
  /** Describes the consequences. */
  children: ReactNode;
}

/** Menu with the deletion, which is not one click away. */
export function DeleteButton(props: DeleteButtonProps) {
  const { noun, name, remove, listPath, mustType, inUse, children } = props;
  const { may, confirm, announce } = useSession();
  if (!may("write")) return null;
  const onSelect = () => {
    if (inUse) return confirm({ title: `${name} is in use`, body: inUse });
    confirm({
      title: `Delete ${name}?`,
      body: children,
      button: `Delete ${noun}`,
      mustType,
      run: async () => {
        await remove();
        navigate(listPath);
        announce(`${capitalize(noun)} ${name} was deleted.`);
      },
    });
  };
  return <Menu label="More options" items={[{ text: "Delete…", danger: true, onSelect }]} />;
}
