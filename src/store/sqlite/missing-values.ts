import type { ModelDescription } from '../../model/model-description.ts'
import { RegistrationError } from '../../model/registration-error.ts'
import { haveMember } from '../../stored-item/member-changes.ts'
import { missingValuesFault, type RequiredMember, requiredMembers } from '../missing-values.ts'
import type { TableLayout } from '../sql/layout.ts'
import { countWithIds } from '../tables/plan/counted-rows.ts'
import type { Connection } from './connection.ts'
import { quoteIdentifier } from './dialect.ts'
import { fingerprintInFile, formInFile, layoutFingerprint } from './file-fingerprints.ts'
import { storedTypes } from './stored-types.ts'
import { sessionOf } from './tables/session.ts'

/**
 * Refuses items that lack what a changed model requires. Call it before they are migrated: that
 * takes longer.
 *
 * @throws RegistrationError with each member that items lack
 */
export async function refuseMissingValues(
  connection: Connection,
  layout: TableLayout,
): Promise<void> {
  const faults = await missingValuesFaults(connection, layout)
  if (faults.length > 0) throw new RegistrationError(faults.join('\n'))
}

/**
 * Why items are refused: a sentence for each member. The file has the table of the items.
 * @param filled members that a start fills in before it looks
 */
export async function missingValuesFaults(
  connection: Connection,
  layout: TableLayout,
  filled: readonly RequiredMember[] = [],
): Promise<readonly string[]> {
  const { model } = layout
  if (fingerprintInFile(connection, model.plural) === layoutFingerprint(layout)) return []
  const form = formInFile(connection, model.plural)
  const members = (await requiredMembers(model)).filter(
    // What the items were written with is there.
    (member) => !filled.includes(member) && !haveMember(model, member, form.members),
  )
  const session = sessionOf(connection)
  const faults: string[] = []
  for (const member of members) {
    const source = `${quoteIdentifier(layout.name)} where ${lacksMember(model, member)}`
    const lacking = await countWithIds(session, 'id', source)
    if (lacking.count > 0) faults.push(missingValuesFault(model, member, lacking))
  }
  return faults
}

/** Members that became hidden, or were hidden before, count too. */
function lacksMember(model: ModelDescription, member: RequiredMember): string {
  const types = storedTypes(model, member)
  return types
    .map((type) =>
      member.kind === 'toOne' ? `${type} is distinct from 'text'` : `${type} is null`,
    )
    .join(' and ')
}
