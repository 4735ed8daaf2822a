/** `Promise.withResolvers()`, which Node.js 20 does not have. */
export function promiseWithResolvers(): { readonly promise: Promise<void>; resolve(): void } {
  let resolve = () => {}
  const promise = new Promise<void>((settle) => {
    resolve = settle
  })
  return { promise, resolve }
}
