/** Leaves out members of an object that have no value. */

type Defined<T> = {
  [Name in keyof T as undefined extends T[Name]
    ? never
    : null extends T[Name]
      ? never
      : Name]: T[Name];
} & {
  [Name in keyof T as undefined extends T[Name]
    ? Name
    : null extends T[Name]
      ? Name
      : never]?: NonNullable<T[Name]>;
};

/** Returns a copy without members that are null or undefined. */
export const defined = <T extends object>(object: T): Defined<T> =>
  // Object.fromEntries forgets the names.
  Object.fromEntries(
    Object.entries(object).filter(([, value]) => value !== undefined && value !== null),
  ) as Defined<T>;
