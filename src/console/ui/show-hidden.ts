/** Makes hidden characters visible in what the console displays, because others wrote it: names, reasons, arguments. */
import { Children, cloneElement, isValidElement, type ReactNode } from "react";
import { showControls } from "../../lib/text/show-controls.ts";

/** Replaces the texts of a node and of the elements inside it. Components replace the texts that they render. */
export function showHidden(node: ReactNode): ReactNode {
  if (typeof node === "string") return showControls(node);
  if (Array.isArray(node)) return Children.map(node, showHidden);
  if (!isValidElement<{ children?: ReactNode }>(node)) return node;
  const { children } = node.props;
  return children === undefined ? node : cloneElement(node, undefined, showHidden(children));
}
