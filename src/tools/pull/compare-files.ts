/** The lines that differ, with `-` for those of the first text and `+` for those of the second. */
export function differingLines(before: string, after: string): readonly string[] {
  const [old, added] = [before.split('\n'), after.split('\n')]
  const lengths = commonLengths(old, added)
  const result: string[] = []
  let [first, second] = [0, 0]
  while (first < old.length || second < added.length) {
    if (first < old.length && second < added.length && old[first] === added[second]) {
      first++
      second++
    } else if (
      second === added.length ||
      (first < old.length && lengths[first + 1]![second]! >= lengths[first]![second + 1]!)
    )
      result.push(`- ${old[first++]}`)
    else result.push(`+ ${added[second++]}`)
  }
  return result
}

/** The length of the longest common part from each pair of lines on. */
function commonLengths(
  old: readonly string[],
  added: readonly string[],
): readonly (readonly number[])[] {
  const lengths = Array.from({ length: old.length + 1 }, () =>
    new Array<number>(added.length + 1).fill(0),
  )
  for (let first = old.length - 1; first >= 0; first--)
    for (let second = added.length - 1; second >= 0; second--)
      lengths[first]![second] =
        old[first] === added[second]
          ? lengths[first + 1]![second + 1]! + 1
          : Math.max(lengths[first + 1]![second]!, lengths[first]![second + 1]!)
  return lengths
}
