public import LogbookDelivery

/// When files may be uploaded: the conditions that every delivery knows.
public typealias UploadConditions = DeliveryConditions
