/** Where can a client reach what listens there? All addresses of the machine are none to dial: the nearest stands for them. */

export const dialable = (origin: string): string =>
  origin.replace("//0.0.0.0:", "//127.0.0.1:").replace("//[::]:", "//[::1]:");
