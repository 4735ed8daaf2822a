/**
 * JavaScript may give an object with the id, as other libraries take it.
 * @throws TypeError
 */
export function expectId(call: string, id: unknown): asserts id is string {
  if (typeof id !== 'string')
    throw new TypeError(`${call} expects the id of an item first, as a string; got ${typeof id}.`)
}
