/** A request as code in a selectable language. */
import { useState } from "react";
import { buildSnippet, LANGUAGES, type Language, type SnippetRequest } from "../snippets.ts";
import { CodeBlock } from "./code-block.tsx";

interface CodeSnippetsProps {
  label: string;
  request: SnippetRequest;
}

export function CodeSnippets({ label, request }: CodeSnippetsProps) {
  const [language, setLanguage] = useState<Language>("curl");
  return (
    <CodeBlock label={label} text={buildSnippet(language, request)}>
      <fieldset className="languages" aria-label="Language">
        {Object.entries(LANGUAGES).map(([name, text]) => (
          <button
            key={name}
            type="button"
            className="button quiet small"
            aria-pressed={name === language}
            // The keys are the languages.
            onClick={() => setLanguage(name as Language)}
          >
            {text}
          </button>
        ))}
      </fieldset>
    </CodeBlock>
  );
}
