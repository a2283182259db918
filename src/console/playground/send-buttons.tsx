/** Buttons that send a request of the playground, and stop it. */
import type { PlaygroundExchange } from "./use-exchange.ts";

interface SendButtonsProps {
  exchange: PlaygroundExchange;
  disabled: boolean;
  onSend: () => void;
}

export function SendButtons({ exchange, disabled, onSend }: SendButtonsProps) {
  return (
    <div className="row">
      <button
        type="button"
        className="button primary"
        disabled={disabled || exchange.busy}
        onClick={onSend}
      >
        {exchange.busy ? "Sending…" : "Send"}
      </button>
      {exchange.busy && (
        <button type="button" className="button" onClick={exchange.stop}>
          Stop
        </button>
      )}
    </div>
  );
}
