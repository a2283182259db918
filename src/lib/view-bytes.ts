/** Views bytes as a Buffer, which has the methods of strings, without copying them. */
export const viewBytes = ({ buffer, byteOffset, byteLength }: Uint8Array): Buffer =>
  Buffer.from(buffer, byteOffset, byteLength);

export const decodeUtf8 = (bytes: Uint8Array): string => viewBytes(bytes).toString();
