/** Console → sign in: exchanges an administrator token for a session. */
import { useEffect, useState } from "react";
import { call } from "../api.ts";
import { session } from "../endpoints.ts";
import { TextField } from "../ui/fields/field.tsx";
import { Icon } from "../ui/icon.tsx";
import { Failure } from "../ui/page.tsx";
import { useAction } from "../use-action.ts";

export function SignInPage({ expired }: { expired: boolean }) {
  const [token, setToken] = useState("");
  const signIn = useAction(() => call(session.signIn, { params: {}, body: { token } }));
  useEffect(() => {
    document.title = "Sign in · Portcullis";
  }, []);
  return (
    <main className="standalone">
      <div className="card sign-in">
        <p className="brand">
          <Icon name="gateway" /> Portcullis
        </p>
        <h1>Sign in</h1>
        {expired && !signIn.error && (
          <p className="note" role="status">
            Your session has expired. Sign in with the same token to continue where you left off.
          </p>
        )}
        <form
          onSubmit={(event) => {
            event.preventDefault();
            void signIn.run();
          }}
        >
          <TextField
            label="Administrator token"
            type="password"
            autoComplete="current-password"
            required
            value={token}
            onChange={setToken}
            hint="Starts with pa_. Portcullis printed one at its first start. To create another, run: portcullis token create."
          />
          <Failure title="Sign-in failed." error={signIn.error} />
          <div className="form-end">
            <button type="submit" className="button primary" disabled={signIn.busy}>
              {signIn.busy ? "Signing in…" : "Sign in"}
            </button>
          </div>
        </form>
      </div>
    </main>
  );
}
