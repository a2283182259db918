/** Console → sign in: an administrator token for a session. */
import { useEffect, useState } from "react";
import { call } from "../api.ts";
import { session } from "../endpoints.ts";
import { TextField } from "../ui/field.tsx";
import { Icon } from "../ui/icon.tsx";
import { Failure } from "../ui/page.tsx";
import { useAction } from "../use-load.ts";

export function SignInPage({ ended }: { ended: boolean }) {
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
        {ended && !signIn.error && (
          <p className="note" role="status">
            Your session has ended. Sign in again with the same token to go on where you were.
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
            hint="Printed when Portcullis first started; it begins with pa_. Another one: portcullis token create."
          />
          <Failure title="You are not signed in." error={signIn.error} />
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
