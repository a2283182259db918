/** The switch that lets a resource reach private addresses: owners turn it on, any administrator turns it off. */
import { useState } from "react";
import { useSession } from "../session.ts";
import { CheckField } from "./field.tsx";

interface PrivateAddressFieldProps {
  label?: string;
  checked: boolean;
  onChange: (checked: boolean) => void;
}

export function PrivateAddressField({
  label = "May reach private addresses",
  checked,
  onChange,
}: PrivateAddressFieldProps) {
  const { may } = useSession();
  const [stored] = useState(checked);
  return (
    <CheckField
      label={label}
      hint="Loopback, private networks and plain http. Only an owner can allow it."
      checked={checked}
      onChange={onChange}
      disabled={!may("own") && !stored}
    />
  );
}
