/** The same members with other values; those without a value are left out. */
export function mapped<Value, Result>(
  record: Readonly<Record<string, Value>> | undefined,
  change: (value: Value, name: string) => Result | undefined,
): Record<string, Result> {
  const members: Record<string, Result> = {}
  for (const [name, value] of Object.entries(record ?? {})) {
    const result = change(value, name)
    if (result !== undefined) members[name] = result
  }
  return members
}
