/** What was asked of the simulator cannot be done; whoever asked may read why and ask otherwise. */
export class Refused extends Error {
  override name = 'Refused'
}
