/** Checklist from an empty installation to a first request. */
import type { ReactNode } from "react";
import type { Consumer } from "../../contract/gateway/consumers.ts";
import type { Gateway } from "../../contract/gateway/gateways.ts";
import type { Registry } from "../../contract/gateway/registries.ts";
import { chatRequest } from "../example-requests.ts";
import { Link } from "../router.tsx";
import { useSession } from "../session.ts";
import { Badge } from "../ui/badge.tsx";
import { CodeSnippets } from "../ui/code-snippets.tsx";
import { Section } from "../ui/form.tsx";

interface FirstStepsProps {
  gateway?: Gateway;
  upstreams?: readonly Registry[];
  consumer?: Consumer | undefined;
  hasKey?: boolean;
}

export function FirstSteps({ gateway, upstreams = [], consumer, hasKey }: FirstStepsProps) {
  const gatewayPath = gateway && `/gateways/${gateway.id}`;
  const consumerPath = consumer && `${gatewayPath}/consumers/${consumer.id}`;
  return (
    <Section title="First steps" about="Four steps to your first request.">
      <ol className="steps">
        <Step done={gateway !== undefined} to="/gateways/new" text="Create a gateway">
          Groups registries and consumers.
        </Step>
        <Step
          done={upstreams.length > 0}
          to={gatewayPath && `${gatewayPath}/registries/new`}
          text="Add a registry"
        >
          The demo provider works without an account.
        </Step>
        <Step
          done={hasKey === true}
          to={
            gatewayPath &&
            (consumerPath ? `${consumerPath}?tab=keys` : `${gatewayPath}/consumers/new`)
          }
          text="Create a consumer and a key"
        >
          For the application that sends requests.
        </Step>
        <Step done={false} to={consumer && `${gatewayPath}/playground`} text="Send a request">
          {consumer
            ? "In the playground, or with the key in place of YOUR_KEY:"
            : "The command appears here when there is a consumer."}
        </Step>
      </ol>
      {consumer && (
        <CodeSnippets
          label="First request"
          request={chatRequest(consumer, upstreams, "YOUR_KEY")}
        />
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
