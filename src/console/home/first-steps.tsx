/** From nothing to a first request, as a list that ticks itself off. */
import type { ReactNode } from "react";
import type { Consumer } from "../../contract/consumers.ts";
import type { Gateway } from "../../contract/gateways.ts";
import type { Registry } from "../../contract/registries.ts";
import { chatCurl } from "../curl-examples.ts";
import { Link } from "../router.tsx";
import { useSession } from "../session.ts";
import { Badge } from "../ui/badge.tsx";
import { CodeBlock } from "../ui/code-block.tsx";
import { Section } from "../ui/form.tsx";

interface FirstStepsProps {
  gateway?: Gateway;
  upstreams?: readonly Registry[];
  consumer?: Consumer | undefined;
  hasKey?: boolean;
}

export function FirstSteps({ gateway, upstreams = [], consumer, hasKey }: FirstStepsProps) {
  const here = gateway && `/gateways/${gateway.id}`;
  const next = consumer && `${here}/consumers/${consumer.id}`;
  return (
    <Section title="First steps" about="No request has come yet. Four steps lead to one.">
      <ol className="steps">
        <Step done={gateway !== undefined} to="/gateways/new" text="Create a gateway">
          A home for registries and consumers.
        </Step>
        <Step
          done={upstreams.length > 0}
          to={here && `${here}/registries/new`}
          text="Add a registry"
        >
          The kind demo answers without any account.
        </Step>
        <Step
          done={hasKey === true}
          to={here && (next ? `${next}?tab=keys` : `${here}/consumers/new`)}
          text="Create a consumer and a key"
        >
          The application that sends the requests.
        </Step>
        <Step done={false} text="Send a request">
          {consumer
            ? "With the key in place of YOUR_KEY:"
            : "The command appears here once there is a consumer."}
        </Step>
      </ol>
      {consumer && (
        <CodeBlock label="First request" text={chatCurl(consumer, upstreams, "YOUR_KEY")} />
      )}
    </Section>
  );
}

interface StepProps {
  done: boolean;
  to?: string | undefined;
  text: string;
  children: ReactNode;
}

function Step({ done, to, text, children }: StepProps) {
  const { may } = useSession();
  return (
    <li>
      {done ? (
        <Badge tone="good" icon="check" text="done" />
      ) : (
        <Badge tone="plain" icon="minus" text="to do" />
      )}
      <div>
        {to && !done && may("write") ? <Link to={to}>{text}</Link> : <strong>{text}</strong>}
        <p className="hint">{children}</p>
      </div>
    </li>
  );
}
