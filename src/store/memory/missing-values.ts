import { RegistrationError } from '../../model/registration-error.ts'
import { maxNamedIds, missingValuesFault, requiredMembers } from '../missing-values.ts'
import type { MemoryTable } from './memory-table.ts'

/** @throws RegistrationError if items lack what the model requires */
export async function refuseMissingValues({ model, entries }: MemoryTable): Promise<void> {
  const faults: string[] = []
  for (const member of await requiredMembers(model)) {
    const ids = [...entries.values()]
      .filter(({ values }) => isMissing(values[member.name], member.kind))
      .map(({ item }) => item.id)
    if (ids.length > 0)
      faults.push(
        missingValuesFault(model, member, { count: ids.length, ids: ids.slice(0, maxNamedIds) }),
      )
  }
  if (faults.length > 0) throw new RegistrationError(faults.join('\n'))
}

function isMissing(value: unknown, kind: 'value' | 'toOne'): boolean {
  return value === undefined || (kind === 'toOne' && value === null)
}
