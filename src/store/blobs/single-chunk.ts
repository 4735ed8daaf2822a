/** Bytes that are there already, as the stream that stores of blobs take. */
export async function* singleChunk(bytes: Uint8Array): AsyncGenerator<Uint8Array, void> {
  yield bytes
}
