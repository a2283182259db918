/** Binds accounts and values of principals to the sign-in that entered them (decision 0006). */
import type { Migration } from "./migration.ts";

export const signIns: Migration = {
  id: "0015-sign-ins",
  sql: `
    -- Null: the token is a sign-in of its own.
    ALTER TABLE principal_tokens ADD COLUMN sign_in TEXT;
    -- Null: created by a release that did not record it.
    ALTER TABLE principal_tokens ADD COLUMN created_by TEXT;
    ALTER TABLE oauth_flows ADD COLUMN sign_in TEXT;
    -- Null: not known, so that the principal must connect again.
    ALTER TABLE store_credentials ADD COLUMN sign_in TEXT;
    -- By field: the sign-in that entered it. Fields entered by an administrator are not listed.
    ALTER TABLE store_installs ADD COLUMN filled_by TEXT NOT NULL DEFAULT '{}';

    -- The token that connected an account was not recorded: existing tokens keep access, later ones get none.
    UPDATE principal_tokens SET sign_in = 'upgraded';
    UPDATE store_credentials SET sign_in = 'upgraded' WHERE EXISTS (
      SELECT 1 FROM principal_tokens t
      WHERE t.gateway_id = store_credentials.gateway_id AND t.principal_sub = store_credentials.principal_sub
    );
    -- Without a token it was an identity provider, if there is only one. As identify-principal.ts writes it.
    UPDATE store_credentials SET sign_in = (
      SELECT MIN('issuer' || '\t' || issuer || '\t' || audience || '\t' || jwks_url || '\t' || subject_claim)
      FROM issuers i WHERE i.gateway_id = store_credentials.gateway_id HAVING COUNT(*) = 1
    ) WHERE sign_in IS NULL;
  `,
};
