import type { Answer } from './exchange.ts'

/**
 * The OpenAPI document says the rules of the service, so the one of the twin says others, and
 * requires members that rules of the service can leave out. Rules also tell which operations need
 * a caller. All else is compared.
 */
export function settleDocument(answer: Answer): Answer {
  return {
    ...answer,
    headers: answer.headers.filter(([name]) => name !== 'content-length'),
    text: answer.text
      .replace(ruleSentence, '')
      .replace(optionalCredentials, '$1]')
      .replace(requiredMembers, (list) => list.replace(guardedMember, '').replace('[,', '[')),
  }
}

/** The sentences about rules in a document. They must name no field that does not exist. */
export function ruleSentencesOf({ text }: Answer): readonly string[] {
  return text.match(ruleSentence) ?? []
}

/** At the end of a description, in JSON. */
const ruleSentence = / ?(?:Allowed|Seen|Set|Visible) where (?:[^"\\]|\\.)*(?=")/g

/** Credentials that an operation accepts and does not need. */
const optionalCredentials = /("security":\[\{"token":\[\]\}),\{\}\]/g

const requiredMembers = /"required":\[[^\]]*\]/g
/** Members with a rule about reading. */
const guardedMember =
  /,?"(?:motto|budget|email|nick|address|mentor|photo|badge|score|notes|fee|memo|bill|sponsors|slides|stars|host)"/g
