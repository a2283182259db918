/** What every page may ask for: who is signed in, which gateway is chosen, and the shared dialogs. */
import { createContext, type ReactNode, useContext } from "react";
import type { Permission } from "../contract/endpoint.ts";
import type { Gateway } from "../contract/gateways.ts";
import type { WhoAmI } from "../contract/session.ts";

export interface Confirmation {
  title: string;
  /** Names what goes. */
  body: ReactNode;
  /** The word on the button. */
  button: string;
  /** Must be typed first, where a slip would cost much. */
  mustType?: string;
  run: () => Promise<unknown>;
}

export interface NewSecret {
  title: string;
  about: string;
  secret: string;
  /** A command that works as shown. */
  curl: string;
}

export interface ConsoleSession {
  who: WhoAmI;
  may: (permission: Permission) => boolean;
  /** The token is not limited to some gateways. */
  allGateways: boolean;
  gateways: readonly Gateway[];
  gateway: Gateway | undefined;
  confirm: (question: Confirmation) => void;
  /** Shows a secret that is never shown again. */
  showSecret: (revealed: NewSecret) => void;
  /** Says a short sentence, also to a screen reader. */
  announce: (text: string) => void;
}

export const SessionContext = createContext<ConsoleSession | undefined>(undefined);

export function useSession(): ConsoleSession {
  const session = useContext(SessionContext);
  if (!session) throw new Error("This part is only for people who are signed in.");
  return session;
}
