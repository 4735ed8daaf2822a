/**
 * A class and those it extends, or a prototype and those it inherits from. Without the prototypes
 * that every function or object has.
 */
export function prototypeChain(start: object): readonly object[] {
  const chain: object[] = []
  for (
    let object: object | null = start;
    object !== null && object !== Object.prototype && object !== Function.prototype;
    object = Object.getPrototypeOf(object)
  )
    chain.push(object)
  return chain
}
