import type { CheckedCaller } from '../check/access/checked-caller.ts'

/**
 * The callers that `--as` names: `admin=token,owner=X-Api-Key: value,anonymous`.
 * @throws Error if a caller has no name or no credential; the message shows no credential
 */
export function readCallers(texts: readonly string[]): readonly CheckedCaller[] {
  const callers = texts.flatMap((text) => text.split(callerSeparator)).map(readCaller)
  const names = callers.map(({ name }) => name)
  const twice = names.find((name, index) => names.indexOf(name) !== index)
  if (twice !== undefined) throw new Error(`--as has two callers with the name '${twice}'.`)
  if (callers.length === 1)
    throw new Error(
      `--as compares callers; expected at least two, for example '${names[0]},${names[0] === 'anonymous' ? 'admin=token' : 'anonymous'}'.`,
    )
  return callers
}

/** A comma before the name of a caller, because values of headers may have commas. */
const callerSeparator = /,(?=[A-Za-z][\w-]*(?:=|,|$))/

const anonymous = 'anonymous'

function readCaller(text: string, index: number): CheckedCaller {
  const [, name, credential] = /^([A-Za-z][\w-]*)(?:=(.*))?$/s.exec(text) ?? []
  if (name === undefined)
    throw new Error(
      `--as must be 'name=token', 'name=Header: value' or '${anonymous}'; entry ${index + 1} has no name.`,
    )
  if (name === anonymous && credential === undefined) return { name, headers: {} }
  if (credential === undefined || credential.trim() === '')
    throw new Error(
      `--as has no credential for '${name}'; expected '${name}=token'. Only '${anonymous}' has none.`,
    )
  const [, header, value] = /^([!#$%&'*+.^_`|~\w-]+):\s+(.*)$/s.exec(credential) ?? []
  if (header !== undefined && value) return { name, headers: { [header.toLowerCase()]: value } }
  return { name, headers: { authorization: `Bearer ${credential}` } }
}
