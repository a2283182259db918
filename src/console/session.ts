/** Gives every page the signed-in administrator, the selected gateway and the shared dialogs. */
import { createContext, type ReactNode, useContext } from "react";
import type { Permission } from "../contract/endpoint.ts";
import type { Gateway } from "../contract/gateway/gateways.ts";
import type { WhoAmI } from "../contract/session.ts";
import type { SnippetRequest } from "./snippets.ts";

export interface Confirmation {
  title: string;
  /** Describes the consequences. */
  body: ReactNode;
  /** Label of the button that runs it. Undefined: the action is not possible, and the body says why. */
  button?: string;
  /** Text that must be typed first, where a mistake is expensive. */
  mustType?: string | undefined;
  run?: () => Promise<unknown>;
}

export interface NewSecret {
  title: string;
  about: string;
  secret: string;
  /** Request that works as shown. */
  example: SnippetRequest;
}

export interface ConsoleSession {
  who: WhoAmI;
  may: (permission: Permission) => boolean;
  /** The token is not limited to some gateways. */
  allGateways: boolean;
  gateways: readonly Gateway[];
  gateway: Gateway | undefined;
  confirm: (confirmation: Confirmation) => void;
  /** Shows a secret once. */
  showSecret: (secret: NewSecret) => void;
  /** Shows a short message, and reads it to screen readers. */
  announce: (text: string) => void;
}

export const SessionContext = createContext<ConsoleSession | undefined>(undefined);

export function useSession(): ConsoleSession {
  const session = useContext(SessionContext);
  if (!session) throw new Error("useSession needs a SessionContext above it.");
  return session;
}
