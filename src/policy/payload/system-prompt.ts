/** Recognizes the system prompt among the texts of a payload. */
import type { Segment } from "../segment.ts";

/** Members of requests, and of responses that repeat them (OpenAI Responses API, in its events too). */
const MEMBER =
  /^(?:\/response)?\/(?:instructions|system|system_instruction|systemInstruction)(?:\/|$)/;
const MESSAGE = /^\/(?:messages|input)\/\d+(?:\/|$)/;
const ROLE = /^(?:system|developer)$/i;

/** Checks the location, because a response can claim any role for its text. */
export const isSystemPrompt = ({ pointer, role, isName }: Segment): boolean =>
  !isName && (MEMBER.test(pointer) || (ROLE.test(role ?? "") && MESSAGE.test(pointer)));

export const readSystemPrompt = (segments: readonly Segment[]): string[] =>
  segments.filter(isSystemPrompt).map(({ text }) => text);
