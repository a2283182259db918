/** Checkbox that allows private addresses. Only an owner can check it; every administrator can clear it. */
import { useState } from "react";
import { useSession } from "../../session.ts";
import { CheckField } from "./field.tsx";

interface PrivateAddressFieldProps {
  checked: boolean;
  onChange: (checked: boolean) => void;
}

export function PrivateAddressField({ checked, onChange }: PrivateAddressFieldProps) {
  const { may } = useSession();
  const [wasChecked] = useState(checked);
  return (
    <CheckField
      label="Allow private addresses"
      hint="Loopback, private networks and plain HTTP. Only an owner can allow this."
      checked={checked}
      onChange={onChange}
      disabled={!may("own") && !wasChecked}
    />
  );
}
