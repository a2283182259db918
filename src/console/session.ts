/** What every page may ask for: who is signed in, which gateway is chosen, and the shared dialogs. */
import { createContext, type ReactNode, useContext } from "react";
import type { Permission } from "../contract/endpoint.ts";
import type { Gateway } from "../contract/gateways.ts";
import type { WhoAmI } from "../contract/session.ts";

export interface Question {
  title: string;
  /** Names what goes. */
  body: ReactNode;
  /** The word on the button. */
  act: string;
  /** Must be typed first, where a slip would cost much. */
  typed?: string;
  run: () => Promise<unknown>;
}

export interface Revealed {
  title: string;
  about: string;
  secret: string;
  /** A command that works as shown. */
  curl: string;
}

export interface Session {
  who: WhoAmI;
  may: (permission: Permission) => boolean;
  /** The token is not limited to some gateways. */
  everywhere: boolean;
  gateways: readonly Gateway[];
  gateway: Gateway | undefined;
  ask: (question: Question) => void;
  /** Shows a secret that is never shown again. */
  reveal: (revealed: Revealed) => void;
  /** Says a short sentence, also to a screen reader. */
  say: (text: string) => void;
}

export const SessionContext = createContext<Session | undefined>(undefined);

export function useSession(): Session {
  const session = useContext(SessionContext);
  if (!session) throw new Error("This part is only for people who are signed in.");
  return session;
}
