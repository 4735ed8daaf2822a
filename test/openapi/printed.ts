const width = 150

/** JSON formatted for reading: what fits a line is on one. */
export function printed(value: unknown, indent = ''): string {
  const line = JSON.stringify(value)
  if (typeof value !== 'object' || value === null || line.length + indent.length <= width)
    return spaced(value)
  const deeper = `${indent}  `
  const parts = Array.isArray(value)
    ? value.map((entry) => printed(entry, deeper))
    : Object.entries(value).map(([name, one]) => `${JSON.stringify(name)}: ${printed(one, deeper)}`)
  const [open, close] = Array.isArray(value) ? ['[', ']'] : ['{', '}']
  return `${open}\n${parts.map((part) => deeper + part).join(',\n')}\n${indent}${close}`
}

function spaced(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  if (Array.isArray(value)) return `[${value.map(spaced).join(', ')}]`
  const members = Object.entries(value).map(
    ([name, one]) => `${JSON.stringify(name)}: ${spaced(one)}`,
  )
  return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`
}
