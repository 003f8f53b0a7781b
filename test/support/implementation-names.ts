// What the service is built on, which no answer to a caller names.

/** Short names count only where a word begins: a random id contains them now and then ("reg_01M84TSB1HAWSZ…"). */
export const implementationNames = /transaction|dynamo|\baws|\bkms|\barn:|\.ts\b/i;
