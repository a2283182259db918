/** Members of a Gemini request that are accepted and dropped, by the object that contains them. */
export const GENERATE_CONTENT_DROPPED = {
  request: ["safetySettings", "labels", "serviceTier", "store"],
  generationConfig: ["audioTimestamp", "mediaResolution"],
  functionCallingConfig: ["streamFunctionCallArguments"],
  functionDeclaration: ["behavior", "response", "responseJsonSchema"],
  functionResponse: ["scheduling", "willContinue"],
  part: ["mediaResolution", "partMetadata"],
  blob: ["displayName"],
} as const;
