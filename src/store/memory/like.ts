/**
 * Does the text match the pattern, where `%` stands for any run of characters and `_` for any one? A pattern comes from
 * clients, so it is walked with two pointers, which cannot blow up as a regular expression can.
 *
 * ```ts
 * isLike('Frankenstein', '%stein') // true
 * ```
 */
export function isLike(text: string, pattern: string): boolean {
  const characters = Array.from(text)
  const wanted = Array.from(pattern)
  let at = 0
  let next = 0
  // Only the last `%` needs a second try: whatever an earlier one could swallow more, the last one can swallow too.
  let afterRun = -1
  let runEnd = 0
  while (at < characters.length) {
    if (wanted[next] === '%') {
      afterRun = ++next
      runEnd = at
    } else if (next < wanted.length && (wanted[next] === '_' || wanted[next] === characters[at])) {
      at++
      next++
    } else if (afterRun >= 0) {
      next = afterRun
      at = ++runEnd
    } else {
      return false
    }
  }
  while (wanted[next] === '%') next++
  return next === wanted.length
}
