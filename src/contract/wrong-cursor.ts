/** What is said of a cursor that another list gave, or nobody. */
import { AppError } from "./errors.ts";

export const wrongCursor = (): AppError =>
  new AppError("validation_failed", "cursor: is not a cursor of this list; start without one.");
